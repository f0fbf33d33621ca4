package main

// Deque is a queue with two ends for the tasks of a worker.
type Deque[T any] struct {
	items []T
}

func (d *Deque[T]) Push(v T) {
	d.items = append(d.items, v) //race:Deque.items
}

func (d *Deque[T]) Pop() (v T, ok bool) {
	n := len(d.items) //race:Deque.items
	if n == 0 {
		return v, false
	}
	v = d.items[n-1]        //race:Deque.items
	d.items = d.items[:n-1] //race:Deque.items
	return v, true
}

// Steal takes the oldest task.
func (d *Deque[T]) Steal() (v T, ok bool) {
	if len(d.items) == 0 { //race:Deque.items
		return v, false
	}
	v = d.items[0]        //race:Deque.items
	d.items = d.items[1:] //race:Deque.items
	return v, true
}
