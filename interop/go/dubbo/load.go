package main

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dubbo.apache.org/dubbo-go/v3"
	"dubbo.apache.org/dubbo-go/v3/client"
)

// load calls Echo as fast as it goes; it is told and says what EchoLoad.java is and does.
type load struct {
	echo  *client.Connection
	text  string
	order *Order
}

func startLoad(instance *dubbo.Instance, given arguments) commanded {
	l := &load{echo: refer(instance, echoInterface, given), text: strings.Repeat("x", 100), order: sample()}
	await(func() error { return l.call(false) })
	say("READY")
	return l
}

func (l *load) call(order bool) error {
	if order {
		_, err := call[*Order](l.echo, "order", l.order)
		return err
	}
	_, err := call[string](l.echo, "text", l.text)
	return err
}

func (l *load) command(words []string) {
	order := words[1] == "order"
	var numbers []int
	for _, word := range words[2:] {
		number, err := strconv.Atoi(word)
		if err != nil {
			panic(err)
		}
		numbers = append(numbers, number)
	}
	callers, warm, seconds := numbers[0], time.Duration(numbers[1])*time.Second, time.Duration(numbers[2])*time.Second

	from := time.Now().Add(warm)
	until := from.Add(seconds)
	var merging sync.Mutex
	var micros []float64
	failed := 0
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			mine, failures := l.calls(order, from, until)
			merging.Lock()
			defer merging.Unlock()
			micros = append(micros, mine...)
			failed += failures
		})
	}
	time.Sleep(time.Until(from))
	say("MEASURING")
	group.Wait()
	slices.Sort(micros)
	line, err := json.Marshal(map[string]any{
		"calls":            len(micros),
		"failed":           failed,
		"seconds":          seconds.Seconds(),
		"calls_per_second": float64(len(micros)) / seconds.Seconds(),
		"p50_us":           quantile(micros, 0.5),
		"p99_us":           quantile(micros, 0.99),
		"max_us":           quantile(micros, 1),
	})
	if err != nil {
		panic(err)
	}
	say("RESULT " + string(line))
}

// calls is one caller: how long each call took in microseconds that lay wholly within the measured time.
func (l *load) calls(order bool, from, until time.Time) (micros []float64, failed int) {
	for {
		start := time.Now()
		err := l.call(order)
		end := time.Now()
		switch {
		case end.After(until):
			return micros, failed
		case start.Before(from):
		case err != nil:
			failed++
		default:
			micros = append(micros, float64(end.Sub(start).Nanoseconds())/1e3)
		}
	}
}

func quantile(sorted []float64, at float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(int(math.Ceil(at*float64(len(sorted))))-1, 0)]
}

// sample has the values of EchoLoad.java.
func sample() *Order {
	order := &Order{
		ID:       9_007_199_254,
		Number:   "2024-000815",
		Placed:   time.UnixMilli(1_709_164_800_123),
		Paid:     true,
		Priority: 3,
		Total:    1_284.5,
		Currency: "EUR",
		Note: "Ring twice, then leave it with the neighbour on the second floor." +
			" Call the number on the label if nobody is there.",
		Customer: &Customer{ID: 815_471_100, Name: "Ada Lovelace", Email: "ada.lovelace@example.org"},
		ShipTo:   &Address{Street: "12 St James's Square", City: "London", Zip: "SW1Y 4JH", Country: "United Kingdom"},
		BillTo:   &Address{Street: "Rue de la Republique 7", City: "Lyon", Zip: "69001", Country: "France"},
		Tags:     []string{"express", "gift", "fragile"},
		History:  []int32{10, 20, 30, 40_000, 50_000},
	}
	for i := range 6 {
		number := strconv.Itoa(i)
		order.Lines = append(order.Lines, &Line{
			Sku:      "SKU-00" + number + "-4711",
			Title:    "An article of the catalogue, number " + number,
			Quantity: int32(i + 1),
			Price:    19.99 + float64(i),
		})
	}
	return order
}
