package saga

import "time"

// Reserve asks for a seat and, meanwhile, for a room.
func Reserve(wait time.Duration) error {
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = slow(wait, nil)() //race:Reserve.err
		time.Sleep(wait)
	}()
	err = slow(2*wait, ErrFull)() //race:Reserve.err
	if err != nil {               //race:Reserve.err
		return err //race:Reserve.err
	}
	<-done
	return nil
}
