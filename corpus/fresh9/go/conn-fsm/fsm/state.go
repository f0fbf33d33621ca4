package fsm

// State of a session, as in RFC 4271.
type State uint8

// The states.
const (
	Idle State = iota
	Connect
	OpenSent
	OpenConfirm
	Established
)

var names = [...]string{"Idle", "Connect", "OpenSent", "OpenConfirm", "Established"}

func (s State) String() string { return names[s] }

// Event moves a session on.
type Event uint8

// The events.
const (
	Start Event = iota
	TCPUp
	OpenReceived
	KeepaliveReceived
	HoldExpired
)

// next is the transition table; what is missing leads to Idle.
var next = map[State]map[Event]State{
	Idle:        {Start: Connect},
	Connect:     {TCPUp: OpenSent},
	OpenSent:    {OpenReceived: OpenConfirm},
	OpenConfirm: {KeepaliveReceived: Established},
	Established: {KeepaliveReceived: Established},
}
