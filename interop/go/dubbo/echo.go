package main

import (
	"context"
	"time"

	hessian "github.com/apache/dubbo-go-hessian2"

	"dubbo.apache.org/dubbo-go/v3"
)

const echoInterface = "org.example.peer.Echo"

// Order is the object of a kilobyte, as Order.java.
type Order struct {
	ID       int64 `hessian:"id"`
	Number   string
	Placed   time.Time
	Paid     bool
	Priority int32
	Total    float64
	Currency string
	CouponID *int64 `hessian:"couponId"`
	Note     string
	Customer *Customer
	ShipTo   *Address
	BillTo   *Address
	Tags     []string
	Lines    []*Line
	History  []int32
}

// JavaClassName is its name in Java.
func (*Order) JavaClassName() string { return "org.example.peer.Order" }

// Customer is who ordered.
type Customer struct {
	ID    int64 `hessian:"id"`
	Name  string
	Email string
}

// JavaClassName is its name in Java.
func (*Customer) JavaClassName() string { return "org.example.peer.Order$Customer" }

// Address is where to.
type Address struct {
	Street  string
	City    string
	Zip     string
	Country string
}

// JavaClassName is its name in Java.
func (*Address) JavaClassName() string { return "org.example.peer.Order$Address" }

// Line is what.
type Line struct {
	Sku      string
	Title    string
	Quantity int32
	Price    float64
}

// JavaClassName is its name in Java.
func (*Line) JavaClassName() string { return "org.example.peer.Order$Line" }

func init() {
	hessian.RegisterPOJO(&Order{})
	hessian.RegisterPOJO(&Customer{})
	hessian.RegisterPOJO(&Address{})
	hessian.RegisterPOJO(&Line{})
}

// Echo is what the speed of calls is measured with.
type Echo struct{}

// Text answers its argument.
func (e *Echo) Text(_ context.Context, x string) (string, error) { return x, nil }

// Order answers its argument.
func (e *Echo) Order(_ context.Context, x *Order) (*Order, error) { return x, nil }

// Reference names the service in the framework's own tables.
func (e *Echo) Reference() string { return "Echo" }

// MethodMapper gives the methods the names that Java calls them by.
func (e *Echo) MethodMapper() map[string]string {
	return map[string]string{"Text": "text", "Order": "order"}
}

func startEcho(instance *dubbo.Instance, given arguments) commanded {
	offer(instance, echoInterface, &Echo{}, given)
	return quiet{}
}
