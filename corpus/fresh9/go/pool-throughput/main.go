package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/media/transcode/pool"
)

var errCodec = errors.New("unknown codec")

func clip(seconds int) pool.Task {
	return pool.Func(func(ctx context.Context) (int64, error) {
		time.Sleep(time.Millisecond)
		if seconds%3 == 0 {
			return 0, errCodec
		}
		return int64(seconds) * 1 << 20, ctx.Err()
	})
}

func main() {
	p := pool.New(4)
	p.Start(context.Background())
	for i := 0; i < 40; i++ {
		p.Submit(clip(i))
	}
	bytes, failed := p.Close()
	fmt.Println(bytes > 0, failed > 0)
}
