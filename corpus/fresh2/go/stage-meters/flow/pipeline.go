package flow

// Pipeline is a row of stages.
type Pipeline struct {
	stages []Stage
	last   Noter
	sink   Next
}

// New returns a pipeline that ends in a sink.
func New(sink Next, last Noter, stages ...Stage) *Pipeline {
	return &Pipeline{stages: stages, last: last, sink: sink}
}

// Feed sends one item through all stages.
func (p *Pipeline) Feed(i Item) error {
	return p.from(0)(i)
}

func (p *Pipeline) from(n int) Next {
	if n == len(p.stages) {
		return p.end
	}
	stage, next := p.stages[n], p.from(n+1)
	return func(i Item) error { return stage.Pass(i, next) }
}

func (p *Pipeline) end(i Item) error {
	p.last.Note(i.Size > 0)
	return p.sink(i)
}
