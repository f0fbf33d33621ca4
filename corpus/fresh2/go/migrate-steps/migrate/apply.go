package migrate

import "time"

// Apply runs the steps and returns how many were applied.
func (s *Schema) Apply(steps []Step) (applied int, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, step := range steps {
			s.before(step.Version)
			fault := step.Up()
			if fault != nil {
				err = fault //race:Apply.err
				return
			}
			applied = step.Version //race:Apply.applied
		}
	}()
	select {
	case <-done:
		return applied, err
	case <-time.After(s.patience):
		applied = applied / 1000 * 1000 //race:Apply.applied
		err = ErrSlow                   //race:Apply.err
		return
	}
}
