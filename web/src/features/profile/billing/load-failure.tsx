import { Button, Flex } from '@chakra-ui/react'
import { Alert } from '@/components/app/alert'
import { NETWORK_ERROR } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'

interface LoadFailureProps {
  error: unknown
  /** What to say where the server has no words of its own. */
  wordless: string
  retrying: boolean
  onRetry: () => void
}

/** Something could not be read: why, and a way to try again. */
export function LoadFailure({ error, wordless, retrying, onRetry }: LoadFailureProps) {
  return (
    <Flex direction="column" align="flex-start" gap="3">
      <Alert width="100%">{problemText(error, wordless, NETWORK_ERROR)}</Alert>
      <Button size="sm" variant="outline" disabled={retrying} onClick={onRetry}>
        {retrying ? 'Trying...' : 'Try again'}
      </Button>
    </Flex>
  )
}
