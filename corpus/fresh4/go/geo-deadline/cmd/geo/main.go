package main

import (
	"context"
	"fmt"
	"time"

	"github.com/deadheat-corpus/geodeadline/geo"
)

func show(r *geo.Reply) string {
	lat := r.Lat       //race:Reply.Lat
	source := r.Source //race:Reply.Source
	return fmt.Sprintf("%.0f %q", lat, source)
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Millisecond)
	defer cancel()
	var reply geo.Reply
	if err := geo.Locate(ctx, geo.Atlas{Delay: 9 * time.Millisecond}, "Ulm", &reply); err != nil {
		time.Sleep(12 * time.Millisecond)
		fmt.Println(err, show(&reply))
	}
}
