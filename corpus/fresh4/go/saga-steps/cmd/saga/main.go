package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/sagasteps/saga"
)

func main() {
	err := saga.Reserve(5 * time.Millisecond)
	receipt, _ := saga.Charge(5 * time.Millisecond)
	fmt.Println(err, receipt)
}
