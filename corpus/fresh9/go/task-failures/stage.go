package main

import (
	"context"
	"errors"
	"sync"
)

type stage struct {
	name  string
	steps []step
}

// run executes the steps of a stage side by side and joins their errors.
func (s *stage) run(ctx context.Context) error {
	var (
		wg   sync.WaitGroup
		errs []error
	)
	for _, st := range s.steps {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := st.run(ctx); err != nil {
				errs = append(errs, err) //race:errs
			}
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

type plan []stage

func (p plan) execute(ctx context.Context) (string, error) {
	for _, s := range p {
		if err := s.run(ctx); err != nil {
			return s.name, err
		}
	}
	return "", nil
}
