package feed

import "sort"

// Post has a rank.
type Post struct {
	Rank int
}

// Feed is a list of posts.
type Feed struct {
	posts []Post
}

// Sort orders the posts by rank.
func (f *Feed) Sort() {
	sort.Slice(f.posts, func(i, j int) bool {
		return f.posts[i].Rank < f.posts[j].Rank //race:Feed.posts
	})
}

// Promote raises every rank.
func (f *Feed) Promote() {
	for i := range f.posts {
		f.posts[i].Rank++ //race:Feed.posts
	}
}
