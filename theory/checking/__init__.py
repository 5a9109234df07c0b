"""Is a learner that somebody wrote the learner it is meant to be? Its mean over all moves, against the rule's."""
