package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	hessian "github.com/apache/dubbo-go-hessian2"
	"github.com/apache/dubbo-go-hessian2/java_exception"

	"dubbo.apache.org/dubbo-go/v3"
	"dubbo.apache.org/dubbo-go/v3/common/constant"
)

const corpusInterface = "org.example.peer.Corpus"

// Base is an object with two fields, as Base.java.
type Base struct {
	ID   int64 `hessian:"id"`
	Note string
}

// JavaClassName is its name in Java.
func (*Base) JavaClassName() string { return "org.example.peer.Base" }

// Refused is the exception that Java's methods declare.
type Refused struct {
	SerialVersionUID     int64
	DetailMessage        string
	SuppressedExceptions []java_exception.Throwabler
	StackTrace           []java_exception.StackTraceElement
	Cause                java_exception.Throwabler
	Code                 int32
}

// Error is the message.
func (r Refused) Error() string { return r.DetailMessage }

// JavaClassName is its name in Java.
func (Refused) JavaClassName() string { return "org.example.peer.Refused" }

// GetStackTrace is that of Java.
func (r Refused) GetStackTrace() []java_exception.StackTraceElement { return r.StackTrace }

func init() {
	hessian.RegisterPOJO(&Base{})
	hessian.RegisterPOJO(&Refused{})
}

// Corpus offers those methods of Corpus.java that dubbo-go has types for. There are no overloads, a byte and a short are
// an int, nulls of boxed numbers and of strings are lost, and so are objects whose class is not registered. The Java
// consumer's `--peer go` is the cases that it passes.
type Corpus struct{}

func (c *Corpus) EchoBoolean(_ context.Context, x bool) (bool, error)         { return x, nil }
func (c *Corpus) EchoByte(_ context.Context, x int32) (int32, error)          { return x, nil }
func (c *Corpus) EchoShort(_ context.Context, x int32) (int32, error)         { return x, nil }
func (c *Corpus) EchoInt(_ context.Context, x int32) (int32, error)           { return x, nil }
func (c *Corpus) EchoLong(_ context.Context, x int64) (int64, error)          { return x, nil }
func (c *Corpus) EchoDouble(_ context.Context, x float64) (float64, error)    { return x, nil }
func (c *Corpus) EchoString(_ context.Context, x string) (string, error)      { return x, nil }
func (c *Corpus) EchoBytes(_ context.Context, x []byte) ([]byte, error)       { return x, nil }
func (c *Corpus) EchoDate(_ context.Context, x time.Time) (time.Time, error)  { return x, nil }
func (c *Corpus) EchoInts(_ context.Context, x []int32) ([]int32, error)      { return x, nil }
func (c *Corpus) EchoLongs(_ context.Context, x []int64) ([]int64, error)     { return x, nil }
func (c *Corpus) EchoStrings(_ context.Context, x []string) ([]string, error) { return x, nil }
func (c *Corpus) EchoBase(_ context.Context, x *Base) (*Base, error)          { return x, nil }

// EchoList has a single argument of that type: the framework puts all arguments into it.
func (c *Corpus) EchoList(_ context.Context, arguments []any) ([]any, error) {
	if list, is := arguments[0].([]any); is {
		return list, nil
	}
	return nil, fmt.Errorf("not a list: %v", arguments[0])
}

func (c *Corpus) EchoMap(_ context.Context, x map[any]any) (map[any]any, error) { return x, nil }

func (c *Corpus) Nothing(_ context.Context) error { return nil }

func (c *Corpus) Slow(_ context.Context, millis int32) (int32, error) {
	time.Sleep(time.Duration(millis) * time.Millisecond)
	return millis, nil
}

func (c *Corpus) Later(_ context.Context, x string, millis int32) (string, error) {
	time.Sleep(time.Duration(millis) * time.Millisecond)
	return x, nil
}

func (c *Corpus) Declared(_ context.Context, message string, code int32) (string, error) {
	return "", &Refused{DetailMessage: message, Code: code, StackTrace: []java_exception.StackTraceElement{}}
}

func (c *Corpus) Undeclared(_ context.Context, kind, message string) (string, error) {
	if kind == "state" {
		return "", java_exception.NewIllegalStateException(message)
	}
	return "", java_exception.NewRuntimeException(message)
}

// Attachments of the answer are those of the call: the framework hands back the same map.
func (c *Corpus) Attachments(ctx context.Context, prefix string) (map[any]any, error) {
	all, _ := ctx.Value(constant.AttachmentKey).(map[string]any)
	found := map[any]any{}
	for key, value := range all {
		if strings.HasPrefix(key, prefix) {
			found[key] = attached(value)
		}
	}
	for key, value := range found {
		all["back."+key.(string)] = value
	}
	all["back.count"] = fmt.Sprint(len(found))
	return found, nil
}

// attached is one value: the framework makes lists of them.
func attached(value any) any {
	if list, is := value.([]string); is && len(list) > 0 {
		return list[0]
	}
	return value
}

// Reference names the service in the framework's own tables.
func (c *Corpus) Reference() string { return "Corpus" }

// MethodMapper gives the methods the names that Java calls them by.
func (c *Corpus) MethodMapper() map[string]string {
	names := map[string]string{}
	for _, name := range []string{
		"EchoBoolean", "EchoByte", "EchoShort", "EchoInt", "EchoLong", "EchoDouble", "EchoString", "EchoBytes",
		"EchoDate", "EchoInts", "EchoLongs", "EchoStrings", "EchoBase", "EchoList", "EchoMap", "Nothing", "Slow",
		"Later", "Declared", "Undeclared", "Attachments",
	} {
		names[name] = strings.ToLower(name[:1]) + name[1:]
	}
	return names
}

func startCorpus(instance *dubbo.Instance, given arguments) commanded {
	offer(instance, corpusInterface, &Corpus{}, given)
	return quiet{}
}
