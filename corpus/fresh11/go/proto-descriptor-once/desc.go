// Package desc describes messages.
package desc

import (
	"reflect"
	"sync"
)

type fieldSet struct {
	names []string
	index map[string]int
}

// Descriptor describes a struct type.
type Descriptor struct {
	typ    reflect.Type
	mu     sync.Mutex
	fields *fieldSet
}

// Of returns the descriptor of a value's type.
func Of(v any) *Descriptor { return &Descriptor{typ: reflect.TypeOf(v)} }

func (d *Descriptor) resolve() *fieldSet {
	if d.fields == nil { //race:Descriptor.fields
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.fields == nil {
			fs := &fieldSet{index: map[string]int{}} //race:fieldSet.index
			for i := 0; i < d.typ.NumField(); i++ {
				fs.names = append(fs.names, d.typ.Field(i).Name)
				fs.index[d.typ.Field(i).Name] = i //race:fieldSet.index
			}
			d.fields = fs //race:Descriptor.fields
		}
	}
	return d.fields //race:Descriptor.fields
}

// Number is the position of a field, or -1.
func (d *Descriptor) Number(name string) int {
	if i, ok := d.resolve().index[name]; ok { //race:fieldSet.index
		return i
	}
	return -1
}
