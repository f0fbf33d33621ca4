package schema

// once is a value that is made when it is first asked for.
type once[T any] struct {
	value *T
}

func (o *once[T]) get(build func() *T) *T {
	if o.value == nil {
		o.value = build()
	}
	return o.value
}
