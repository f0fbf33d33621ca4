package main

import (
	"fmt"
	"os"
	"time"

	"github.com/deadheat-corpus/weathernet/weather"
)

func main() {
	net := weather.NewNet()
	net.Put("Zugspitze", weather.Reading{Celsius: -7.5, Humidity: 60})
	net.Put("Helgoland", weather.Reading{Celsius: 9, Humidity: 88})
	answers := make(chan error, 2)
	for _, every := range []time.Duration{4 * time.Millisecond, 5 * time.Millisecond} {
		f := weather.Forecaster{Net: net, Every: every}
		go func() {
			_, err := f.Mean("Zugspitze", "Helgoland")
			answers <- err
		}()
		time.Sleep(time.Millisecond)
	}
	for i := 0; i < cap(answers); i++ {
		if err := <-answers; err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
