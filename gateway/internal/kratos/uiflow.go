package kratos

import "slices"

// uiFlow is a flow as Kratos describes it for a page: what can be submitted, and what is shown.
type uiFlow struct {
	ID    string  `json:"id"`
	Error failure `json:"error"`
	UI    struct {
		Nodes    []uiNode    `json:"nodes"`
		Messages []uiMessage `json:"messages"`
	} `json:"ui"`
}

type uiNode struct {
	Attributes uiAttributes `json:"attributes"`
	Messages   []uiMessage  `json:"messages"`
}

type uiMessage struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

// uiAttributes have a name where something can be submitted, an id where something is shown.
type uiAttributes struct {
	Name  string `json:"name"`
	ID    string `json:"id"`
	Value any    `json:"value"`
	Src   string `json:"src"`
	Text  struct {
		Context struct {
			Secret  string `json:"secret"`
			Secrets []struct {
				Context struct {
					Secret string `json:"secret"`
				} `json:"context"`
			} `json:"secrets"`
		} `json:"context"`
	} `json:"text"`
}

// node returns the part of that name or id, empty if there is none.
func (f uiFlow) node(name string) uiAttributes {
	for _, n := range f.UI.Nodes {
		if n.Attributes.Name == name || n.Attributes.ID == name {
			return n.Attributes
		}
	}
	return uiAttributes{}
}

func (f uiFlow) has(name string) bool {
	return slices.ContainsFunc(f.UI.Nodes, func(n uiNode) bool { return n.Attributes.Name == name || n.Attributes.ID == name })
}

// messages are those of the flow and of its parts.
func (f uiFlow) messages() []uiMessage {
	all := slices.Clone(f.UI.Messages)
	for _, n := range f.UI.Nodes {
		all = append(all, n.Messages...)
	}
	return all
}

// csrf is what belongs to the flow's cookie.
func (f uiFlow) csrf() string {
	token, _ := f.node("csrf_token").Value.(string)
	return token
}
