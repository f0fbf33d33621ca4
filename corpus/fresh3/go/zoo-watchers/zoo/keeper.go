package zoo

import "time"

// Keeper feeds animals, one after the other.
type Keeper struct {
	Bucket []string
	Walk   time.Duration
}

// Round feeds everything in the bucket and says how many were told.
func (k *Keeper) Round(f *Feeding) int {
	told := 0
	for _, animal := range k.Bucket {
		time.Sleep(k.Walk)
		told += f.announce(animal)
	}
	return told
}
