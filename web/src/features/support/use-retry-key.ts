import { useDraft } from '@/lib/use-draft'

interface Kept {
  content: string
  key: string
}

function read(text: string): Kept | null {
  try {
    return JSON.parse(text) as Kept | null
  } catch {
    return null
  }
}

/**
 * Idempotency keys: the same for the same content until it has been taken, so that a message whose answer
 * was lost is not filed twice. They live as long as the draft called `draft`.
 */
export function useRetryKey(draft: string) {
  const [kept, keep] = useDraft(`${draft}:key`)
  return {
    keyFor: (...parts: string[]): string => {
      const content = JSON.stringify(parts)
      const last = read(kept)
      if (last?.content === content) return last.key
      const key = crypto.randomUUID()
      keep(JSON.stringify({ content, key } satisfies Kept))
      return key
    },
    taken: () => keep(''),
  }
}
