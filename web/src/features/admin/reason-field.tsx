import { Box, chakra, Text } from '@chakra-ui/react'
import { useId } from 'react'
import { Textarea } from '@/components/app/field'

/** The API's maximum length of a reason. */
const MAX_REASON = 500

interface ReasonFieldProps {
  value: string
  waiting: boolean
  onType: (text: string) => void
}

/** Why somebody does something. It goes into the audit log, and the person concerned does not see it. */
export function ReasonField({ value, waiting, onType }: ReasonFieldProps) {
  const id = useId()
  return (
    <Box mt="4">
      <chakra.label htmlFor={id} display="block" fontSize="sm" fontWeight={600}>
        Reason
      </chakra.label>
      <Text id={`${id}-hint`} mb="2" color="quiet" fontSize="xs">
        Only staff see it, in the audit log.
      </Text>
      <Textarea
        id={id}
        rows={3}
        required
        maxLength={MAX_REASON}
        aria-describedby={`${id}-hint`}
        readOnly={waiting}
        value={value}
        onChange={(event) => onType(event.target.value)}
      />
    </Box>
  )
}
