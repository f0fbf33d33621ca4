package sketch

// Sketch counts approximately.
type Sketch struct {
	slots []uint32
}

// New makes a sketch of n slots.
func New(n int) *Sketch { return &Sketch{slots: make([]uint32, n)} }

func (s *Sketch) slot(key string) int {
	h := uint32(2166136261)
	for i := 0; i < len(key); i++ {
		h = (h ^ uint32(key[i])) * 16777619
	}
	return int(h % uint32(len(s.slots)))
}

// Add counts one more.
func (s *Sketch) Add(key string) {
	s.slots[s.slot(key)]++ //race:Sketch.slots[]
}

// Estimate returns the count, or somewhat more.
func (s *Sketch) Estimate(key string) uint32 {
	return s.slots[s.slot(key)]
}
