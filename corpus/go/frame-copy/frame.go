package frame

// Frame is a picture.
type Frame struct {
	pixels []byte
}

// Fill paints the whole frame.
func (f *Frame) Fill(v byte) {
	for i := range f.pixels {
		f.pixels[i] = v //race:Frame.pixels
	}
}

// Snapshot returns a copy.
func (f *Frame) Snapshot() []byte {
	out := make([]byte, len(f.pixels), 2*len(f.pixels))
	copy(out, f.pixels) //race:Frame.pixels
	return out
}
