package assets

// Asset is a thing with tags; it is not changed after it is loaded.
type Asset struct {
	ID   string
	tags []string
}

// NewAsset makes an asset.
func NewAsset(id string, tags ...string) *Asset {
	return &Asset{ID: id, tags: tags}
}

// Tags returns the tags.
func (a *Asset) Tags() []string { return a.tags }
