package mirror

import "time"

type step func() error

func both(first, second func()) <-chan struct{} {
	done := make(chan struct{}, 2)
	for _, f := range []func(){first, second} {
		go func(f func()) {
			f()
			done <- struct{}{}
		}(f)
	}
	return done
}

// Sync pulls and pushes at once; it does not wait for a slow side.
func Sync(r Remote, patience time.Duration) (faults []error) {
	var pullErr, pushErr error
	done := both(
		func() { pullErr = r.Pull() }, //race:Sync.pullErr
		func() { pushErr = r.Push() }, //race:Sync.pushErr
	)
	select {
	case <-done:
	case <-time.After(patience):
	}
	if pullErr != nil { //race:Sync.pullErr
		faults = append(faults, pullErr) //race:Sync.pullErr
	}
	if pushErr != nil { //race:Sync.pushErr
		faults = append(faults, pushErr) //race:Sync.pushErr
	}
	return faults
}
