package relay

import (
	"strconv"
	"testing"
	"time"

	"example.com/relay/worker"
)

func parseOrder(m worker.Message) error {
	fields := make([]int, 0, 2)
	n, err := strconv.Atoi(string(m.Payload))
	if err != nil {
		return err
	}
	fields = append(fields, n)
	time.Sleep(12 * time.Millisecond) // the warehouse answers
	_ = fields[n]
	return nil
}

func TestSupervisorSeesPanic(t *testing.T) {
	w := worker.New("orders", parseOrder, 8)
	s := Supervise(5*time.Millisecond, w)
	for _, quantity := range []string{"0", "17", "0"} {
		w.Submit(worker.Message{Topic: "orders", Payload: []byte(quantity)})
	}
	if !s.AwaitFailure(60) {
		t.Log("no failure was seen")
	}
	w.Drain()
}
