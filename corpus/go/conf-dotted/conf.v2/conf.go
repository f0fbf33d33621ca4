// Package conf holds settings.
package conf

// Settings may be reloaded.
type Settings struct {
	region string
}

// Reload sets the region again.
func (s *Settings) Reload(region string) {
	s.region = region //race:Settings.region
}

// Region returns the region.
func (s *Settings) Region() string {
	return s.region //race:Settings.region
}
