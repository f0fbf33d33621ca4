package sampler

import "fmt"

// CrashLine is the line that a crash report gets.
func CrashLine() string {
	return fmt.Sprintf("%d goroutines (sample %d)", Latest.Goroutines, Latest.Seq) //race:Latest
}
