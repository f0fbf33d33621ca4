package rotate

import "time"

var rotations int

var onRotate = func(name string) {
	rotations += len(name) //race:rotations
}

func init() {
	go func() {
		time.Sleep(10 * time.Millisecond)
		rotations = 1 //race:rotations
	}()
}

// Rotate tells the hook that a file was renamed.
func Rotate(name string) {
	onRotate(name)
}
