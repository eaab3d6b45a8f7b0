package subprocess

// descendants are the processes that pid has started, those that these have, and so on.
func descendants(pid int) (family []int) {
	all := parents()
	generation := map[int]bool{pid: true}
	for len(generation) > 0 {
		next := map[int]bool{}
		for child, parent := range all {
			if generation[parent] {
				next[child] = true
				family = append(family, child)
			}
		}
		generation = next
	}
	return family
}
