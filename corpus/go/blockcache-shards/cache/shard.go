package cache

type shard struct {
	blocks map[int][]byte
	bytes  int
}

func (s *shard) account(n int) {
	s.bytes += n //race:Shard.bytes
}
