package main

import (
	"fmt"
	"os"
	"time"

	"github.com/deadheat-corpus/pigeonpost/pigeon"
)

func main() {
	pigeons := []pigeon.Pigeon{{Name: "Hansi", Speed: 40 * time.Microsecond}, {Name: "Blitz", Speed: 70 * time.Microsecond}}
	post := pigeon.Open(&pigeon.Loft{Town: "Essen", Km: 80, Pigeons: pigeons})
	times, err := post.Send("Essen")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(len(times), "letters")
}
