package main

import (
	"context"
	"maps"

	"dubbo.apache.org/dubbo-go/v3/common/extension"
	"dubbo.apache.org/dubbo-go/v3/filter"
	"dubbo.apache.org/dubbo-go/v3/protocol"
)

// attachmentFilter is the name under which the framework knows the filter.
const attachmentFilter = "peer-attachments"

// accompanied carries the attachments of one call in its context; that is what this client's API has no other way for.
type accompanied struct {
	there map[string]any
	back  map[string]any
}

type accompaniedKey struct{}

// attaching puts them into the call and takes those of the answer.
type attaching struct{}

func init() {
	extension.SetFilter(attachmentFilter, func() filter.Filter { return attaching{} })
}

func (attaching) Invoke(ctx context.Context, invoker protocol.Invoker, call protocol.Invocation) protocol.Result {
	with, is := ctx.Value(accompaniedKey{}).(*accompanied)
	if !is {
		return invoker.Invoke(ctx, call)
	}
	for key, value := range with.there {
		call.SetAttachment(key, value)
	}
	result := invoker.Invoke(ctx, call)
	with.back = maps.Clone(result.Attachments())
	return result
}

func (attaching) OnResponse(
	_ context.Context, result protocol.Result, _ protocol.Invoker, _ protocol.Invocation,
) protocol.Result {
	return result
}
