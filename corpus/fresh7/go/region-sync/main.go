package main

import (
	"context"
	"fmt"
	"time"
)

type memBucket struct {
	region  string
	objects map[string]object
}

func (m *memBucket) Region() string { return m.region }

func (m *memBucket) Put(ctx context.Context, o object) error {
	time.Sleep(time.Millisecond)
	m.objects[o.key] = o
	return ctx.Err()
}

func main() {
	c := &copier{source: map[string]object{"a": {key: "a", data: []byte("x")}}}
	for _, r := range []string{"eu", "us"} {
		c.buckets = append(c.buckets, &memBucket{region: r, objects: map[string]object{}})
	}
	fmt.Println("sync:", c.syncKey(context.Background(), "a"))
}
