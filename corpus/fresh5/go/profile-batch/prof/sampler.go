package prof

import "time"

// Sample is one stack, by number, and how long it was seen.
type Sample struct {
	Stack int
	Nanos int64
}

// Sink takes batches of samples.
type Sink interface {
	Upload(batch []Sample) int64
}

// Sampler looks at the program in regular intervals.
type Sampler struct {
	sink  Sink
	batch []Sample
}

// NewSampler makes a sampler with room for n samples.
func NewSampler(sink Sink, n int) *Sampler {
	return &Sampler{sink: sink, batch: make([]Sample, 0, n)}
}

// Observe takes samples for a while.
func (s *Sampler) Observe(times int, every time.Duration) {
	for i := 0; i < times; i++ {
		s.take(Sample{Stack: i % 5, Nanos: int64(every)})
		time.Sleep(every)
	}
}

func (s *Sampler) take(one Sample) {
	s.batch = append(s.batch, one) //race:Sampler.batch,Sampler.batch[]
}

// Flush uploads what there is.
func (s *Sampler) Flush() int64 {
	full := s.batch       //race:Sampler.batch
	s.batch = s.batch[:0] //race:Sampler.batch
	return s.sink.Upload(full)
}

// Total is a sink that only adds up.
type Total struct{}

// Upload adds the times of a batch up.
func (t Total) Upload(batch []Sample) int64 {
	var sum int64
	for i := range batch {
		time.Sleep(500 * time.Microsecond)
		sum += batch[i].Nanos //race:Sampler.batch[]
	}
	return sum
}
