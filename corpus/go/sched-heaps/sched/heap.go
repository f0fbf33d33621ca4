package sched

type task struct {
	name string
	due  int
}

type taskHeap struct {
	tasks []task
}

func (h *taskHeap) Len() int           { return len(h.tasks) }
func (h *taskHeap) Less(i, j int) bool { return h.tasks[i].due < h.tasks[j].due }
func (h *taskHeap) Swap(i, j int)      { h.tasks[i], h.tasks[j] = h.tasks[j], h.tasks[i] }

func (h *taskHeap) Push(x any) {
	h.tasks = append(h.tasks, x.(task))
}

func (h *taskHeap) Pop() any {
	last := h.tasks[len(h.tasks)-1]
	h.tasks = h.tasks[:len(h.tasks)-1]
	return last
}
