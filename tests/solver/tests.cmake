snt_add(solver color)
snt_add(solver obstacle)
snt_add(solver sheet)
snt_add(solver xpbd)
