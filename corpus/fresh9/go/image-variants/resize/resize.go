package resize

import "time"

// Image has a size only, here.
type Image struct{ W, H int }

// To scales an image to a width.
func (i Image) To(w int) Image {
	time.Sleep(20 * time.Millisecond)
	return Image{w, i.H * w / i.W}
}
