// Package lazy makes values when they are needed.
package lazy

// Value is made on first use.
type Value[T any] struct {
	Make  func() *T
	value *T
}

// Get returns the value.
func (v *Value[T]) Get() *T {
	if v.value == nil {
		v.value = v.Make()
	}
	return v.value
}
