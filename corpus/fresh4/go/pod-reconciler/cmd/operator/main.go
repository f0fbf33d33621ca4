package main

import (
	"context"
	"fmt"
	"time"

	"github.com/deadheat-corpus/podreconciler/pkg/controller"
	"github.com/deadheat-corpus/podreconciler/pkg/manager"
)

type pods struct{}

func (pods) Reconcile(ctx context.Context, key string) (controller.Result, error) {
	time.Sleep(5 * time.Millisecond)
	return controller.Result{}, ctx.Err()
}

type discard struct{}

func (discard) Observe(string) {}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	mgr := new(manager.Manager)
	c := controller.New("pods", pods{}).Enqueue("default/a", "default/b", "default/c")
	mgr.Add(ctx, c)
	time.Sleep(8 * time.Millisecond)
	c.InjectMetrics(discard{})
	time.Sleep(15 * time.Millisecond)
	cancel()
	mgr.Wait()
	fmt.Println("stopped")
}
