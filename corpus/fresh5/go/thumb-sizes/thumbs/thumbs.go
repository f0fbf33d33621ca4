package thumbs

import "time"

// Size is one size in which a picture is needed.
type Size struct {
	Name string
	W, H int
}

// Scaler scales pictures.
type Scaler interface {
	Scale(name string, w, h int) error
}

// Make asks for every size and returns the number that failed.
func Make(s Scaler, sizes []Size) int {
	errs := make(chan error, len(sizes))
	for _, size := range sizes { //race:Make.size
		go func() {
			errs <- s.Scale(size.Name, size.W, size.H) //race:Make.size
		}()
		time.Sleep(300 * time.Microsecond)
	}
	failed := 0
	for range sizes {
		if err := <-errs; err != nil {
			failed++
		}
	}
	return failed
}
