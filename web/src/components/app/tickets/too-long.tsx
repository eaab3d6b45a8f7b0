import { Alert } from '@/components/app/alert'
import { whole } from '@/lib/numbers'
import { isTooLong, MESSAGE_MAX } from './words'

/** Why a message cannot be sent. A paste is not cut instead: nobody would notice that its end is missing. */
export function TooLong({ message }: { message: string }) {
  if (!isTooLong(message)) return null
  return (
    <Alert problem="message_too_long">
      This is too long: a message may have at most {whole(MESSAGE_MAX)} characters.
    </Alert>
  )
}
