import { useState } from 'react'

interface Loaded<Message> {
  messages: readonly Message[]
  earlier: boolean
}

/**
 * A thread of which earlier messages can be loaded: `load` asks for those before the message with that id, and rejects
 * when it cannot.
 */
export function useEarlier<Message extends { id: string }>(
  latest: Loaded<Message>,
  load: (before: string) => Promise<Loaded<Message>>,
) {
  const [loaded, setLoaded] = useState<Loaded<Message> | null>(null)
  const [loading, setLoading] = useState(false)
  const [failed, setFailed] = useState(false)
  const known = new Set(loaded?.messages.map(({ id }) => id))
  const messages = [
    ...(loaded?.messages ?? []),
    ...latest.messages.filter(({ id }) => !known.has(id)),
  ]
  const fetchEarlier = async () => {
    const [first] = messages
    if (!first || loading) return
    setLoading(true)
    setFailed(false)
    try {
      const { messages: before, earlier } = await load(first.id)
      // Kept together with what was there: what is latest now is not for ever. A reply that was just sent has no id of
      // its own yet, and comes again with the latest.
      const kept = messages.filter(({ id }) => !id.startsWith('reply-'))
      setLoaded({ messages: [...before, ...kept], earlier })
    } catch {
      setFailed(true)
    }
    setLoading(false)
  }
  return { messages, earlier: loaded?.earlier ?? latest.earlier, loading, failed, fetchEarlier }
}
