// Package thumbs makes small pictures of large ones.
package thumbs

import (
	"github.com/deadheat-corpus/thumbpipeline/batch"
)

// Thumb is a small picture.
type Thumb struct {
	Name  string
	Width int
}

// Encoder makes one small picture.
type Encoder interface {
	Encode(name string, height int) (Thumb, error)
}

// RenderAll makes all pictures at once and returns them and the greatest width.
func RenderAll(enc Encoder, names []string, height int) ([]Thumb, int, error) {
	var (
		done   []Thumb
		widest int
		err    error
	)
	g := batch.New()
	for _, name := range names {
		name := name
		g.Go(func() error {
			var thumb Thumb
			thumb, err = enc.Encode(name, height) //race:RenderAll.err
			if err != nil {                       //race:RenderAll.err
				return err //race:RenderAll.err
			}
			done = append(done, thumb) //race:RenderAll.done
			if thumb.Width > widest {  //race:RenderAll.widest
				widest = thumb.Width //race:RenderAll.widest
			}
			return nil
		})
	}
	if fault := g.Join(); fault != nil {
		return nil, 0, fault
	}
	return done, widest, err
}
