package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	hessian "github.com/apache/dubbo-go-hessian2"
	"github.com/apache/dubbo-go-hessian2/java_exception"

	"dubbo.apache.org/dubbo-go/v3"
	"dubbo.apache.org/dubbo-go/v3/client"
)

// cases counts what was right, as Cases.java does.
type cases struct {
	only, except []string
	ok, bad      int
}

func (c *cases) check(name string, expected any, call func() (any, error)) {
	if len(c.only) > 0 && !isOf(name, c.only) || isOf(name, c.except) {
		return
	}
	got, err := call()
	if err == nil && reflect.DeepEqual(expected, got) {
		c.ok++
		say("ok " + name)
		return
	}
	c.bad++
	line := fmt.Sprintf("bad %s expected %s got %s", name, told(expected), told(got))
	if err != nil {
		line = fmt.Sprintf("bad %s expected %s got error %s", name, told(expected), told(err))
	}
	say(strings.ReplaceAll(line, "\n", " "))
}

func told(value any) string {
	text := fmt.Sprintf("%T %v", value, value)
	return text[:min(len(text), 600)]
}

func isOf(name string, names []string) bool {
	for _, other := range names {
		if name == other || strings.HasPrefix(name, other+".") {
			return true
		}
	}
	return false
}

func names(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// callCorpus calls what dubbo-go has types for, checks the answers, and leaves.
func callCorpus(instance *dubbo.Instance, given arguments) commanded {
	corpus := refer(instance, corpusInterface, given, client.WithFilter(attachmentFilter))
	await(func() error {
		_, err := call[string](corpus, "echoString", "there?")
		return err
	})
	say("READY")
	c := &cases{only: names(given["only"]), except: names(given["except"])}
	c.types(corpus)
	c.arrived(corpus)
	c.outcomes(corpus)
	say(fmt.Sprintf("DONE %d ok %d bad", c.ok, c.bad))
	leave(c.bad == 0 && c.ok > 0)
	return nil
}

func call[T any](corpus *client.Connection, method string, values ...any) (T, error) {
	return callWith[T](context.Background(), corpus, method, values...)
}

func callWith[T any](ctx context.Context, corpus *client.Connection, method string, values ...any) (T, error) {
	var answer T
	err := corpus.CallUnary(ctx, values, &answer, method)
	return answer, err
}

// echo checks that the method answers each value.
func echo[T any](c *cases, corpus *client.Connection, name, method string, values ...T) {
	for i, value := range values {
		c.check(fmt.Sprintf("echo.%s.%d", name, i), value, func() (any, error) { return call[T](corpus, method, value) })
	}
}

func (c *cases) types(corpus *client.Connection) {
	echo(c, corpus, "boolean", "echoBoolean", true, false)
	echo(c, corpus, "int", "echoInt", int32(0), 47, 48, -2049, 262144, -1<<31, 1<<31-1)
	echo(c, corpus, "long", "echoLong", int64(0), -9, 16, 1<<31, -1<<63, 1<<63-1)
	echo(c, corpus, "double", "echoDouble", 0.0, 1, -129, 12.25, 65.536, 1e300)
	echo(c, corpus, "string", "echoString",
		"", "a", "你好，世界", "😀 👨‍👩‍👧", strings.Repeat("x", 32769), strings.Repeat("中", 30000))
	echo(c, corpus, "bytes", "echoBytes", []byte{1}, make([]byte, 1024), make([]byte, 70000))
	echo(c, corpus, "date", "echoDate", time.UnixMilli(0), time.UnixMilli(894621091123))
	echo(c, corpus, "ints", "echoInts", []int32{1, -70000}, make([]int32, 8))
	echo(c, corpus, "longs", "echoLongs", []int64{1, -1 << 63})
	echo(c, corpus, "doubles", "echoDoubles", []float64{1.5, 3.14159})
	echo(c, corpus, "strings", "echoStrings", []string{"a", "中"})
	echo(c, corpus, "list", "echoList", []any{int32(1), int64(2), "中", true, []any{"nested"}})
	echo(c, corpus, "map", "echoMap", map[any]any{"a": int32(1), int32(2): "b", int64(3): nil})
	echo(c, corpus, "base", "echoBase", &Base{ID: 1 << 33, Note: "alone"})
}

// arrived checks what the other side says it got, by generic calls: they are the way to a parameter of type Object.
func (c *cases) arrived(corpus *client.Connection) {
	describe := func(name, expected string, value any) {
		c.check("describe."+name, expected, func() (any, error) {
			return invoke(corpus, "describe", "java.lang.Object", value)
		})
	}
	describe("int", "-70000", int32(-70000))
	describe("long", "5L", int64(5))
	describe("double", "d3ff8000000000000", 1.5)
	describe("string", `"\u4f60 \ud83d\ude00"`, "你 😀")
	describe("long-string", "text[32769]c1c5cb89", strings.Repeat("x", 32769))
	describe("list", `[1, "a", true]`, []any{int32(1), "a", true})
	describe("map", `map{"a"=1}`, map[any]any{"a": int32(1)})
	describe("base", `map{"id"=5L, "note"="n"}`, map[any]any{"id": int64(5), "note": "n"})
	c.check("generic.base", `Base{id=5L, note="n"}`, func() (any, error) {
		item := map[any]any{"class": "org.example.peer.Base", "id": int64(5), "note": "n"}
		return invoke(corpus, "describe", "java.lang.Object", item)
	})
	c.check("generic.string", "中", func() (any, error) {
		return invoke(corpus, "echoString", "java.lang.String", "中")
	})
	c.check("generic.overload", "int 5", func() (any, error) { return invoke(corpus, "same", "int", int32(5)) })
}

func invoke(corpus *client.Connection, method, argumentType string, value any) (any, error) {
	return call[any](corpus, "$invoke", method, []string{argumentType}, []hessian.Object{value})
}

func (c *cases) outcomes(corpus *client.Connection) {
	overload := func(name, expected string, values ...any) {
		c.check("overload."+name, expected, func() (any, error) { return call[string](corpus, "same", values...) })
	}
	five := int32(5)
	overload("string", `String "a"`, "a")
	overload("int", "int 5", five)
	overload("integer", "Integer 5", &five)
	overload("string-int", `String,int "a" 5`, "a", five)
	overload("list", "List [1]", []any{int32(1)})

	c.check("void", nil, func() (any, error) { return call[any](corpus, "nothing") })
	c.check("future", "x", func() (any, error) { return call[string](corpus, "later", "x", int32(50)) })
	c.check("slow", int32(100), func() (any, error) { return call[int32](corpus, "slow", int32(100)) })
	c.check("exception.declared", "no 中 7", func() (any, error) {
		_, err := call[string](corpus, "declared", "no 中", int32(7))
		if refused := (*Refused)(nil); errors.As(err, &refused) {
			return fmt.Sprintf("%s %d", refused.DetailMessage, refused.Code), nil
		}
		return nil, err
	})
	undeclared := func(kind, class string) {
		c.check("exception."+kind, class+" bad", func() (any, error) {
			_, err := call[string](corpus, "undeclared", kind, "bad")
			if thrown := java_exception.Throwabler(nil); errors.As(err, &thrown) {
				return thrown.JavaClassName() + " " + thrown.Error(), nil
			}
			return nil, err
		})
	}
	undeclared("runtime", "java.lang.RuntimeException")
	undeclared("state", "java.lang.IllegalStateException")
	c.check("timeout", "an error in time", func() (any, error) {
		start := time.Now()
		var answer int32
		err := corpus.CallUnary(
			context.Background(), []any{int32(2000)}, &answer, "slow", client.WithCallRequestTimeout(300*time.Millisecond))
		if took := time.Since(start); err == nil || took < 250*time.Millisecond || took > 1500*time.Millisecond {
			return nil, fmt.Errorf("after %v: %w", took, err)
		}
		return "an error in time", nil
	})
	c.attachments(corpus)
}

func (c *cases) attachments(corpus *client.Connection) {
	both := &accompanied{there: map[string]any{"peer.a": "1", "peer.b": "中 😀"}}
	c.check("attachments.there", map[any]any{"peer.a": "1", "peer.b": "中 😀"}, func() (any, error) {
		ctx := context.WithValue(context.Background(), accompaniedKey{}, both)
		return callWith[map[any]any](ctx, corpus, "attachments", "peer.")
	})
	c.check("attachments.back", map[string]any{"back.peer.a": "1", "back.peer.b": "中 😀", "back.count": "2"},
		func() (any, error) {
			maps.DeleteFunc(both.back, func(key string, _ any) bool { return !strings.HasPrefix(key, "back.") })
			return both.back, nil
		})
}
