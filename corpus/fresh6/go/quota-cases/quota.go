// Package quota decides whether a workload may be admitted to a namespace.
package quota

import "fmt"

type Request struct {
	Namespace string
	CPU       int
	Memory    int
	Priority  string
}

type Limits struct {
	CPU    int
	Memory int
}

// Source tells the limits of a namespace.
type Source interface {
	Limits(namespace string) (Limits, bool)
}

type Checker struct {
	src Source
}

func NewChecker(src Source) *Checker {
	return &Checker{src: src}
}

// Admit returns an error that names the resource that is short.
func (c *Checker) Admit(r *Request) error {
	lim, ok := c.src.Limits(r.Namespace)
	if !ok {
		return fmt.Errorf("namespace %s: no quota", r.Namespace)
	}
	cpu := r.CPU //race:req.CPU
	if cpu > lim.CPU {
		return fmt.Errorf("namespace %s: cpu %d over %d", r.Namespace, cpu, lim.CPU)
	}
	if r.Memory > lim.Memory { //race:req.Memory
		return fmt.Errorf("namespace %s: memory over %d", r.Namespace, lim.Memory)
	}
	return nil
}
