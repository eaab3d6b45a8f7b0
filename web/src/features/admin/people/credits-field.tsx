import { Box, chakra, Text } from '@chakra-ui/react'
import { useId } from 'react'
import { Input } from '@/components/app/field'

interface CreditsFieldProps {
  hint: string
  value: string
  /** Whether what was typed is no number of credits that fits. */
  wrong: boolean
  /** Whether it is on its way, and must not change any more. */
  waiting: boolean
  onType: (text: string) => void
}

/** A number of credits. */
export function CreditsField({ hint, value, wrong, waiting, onType }: CreditsFieldProps) {
  const id = useId()
  return (
    <Box mt="4">
      <chakra.label htmlFor={id} display="block" fontSize="sm" fontWeight={600}>
        Credits
      </chakra.label>
      <Text id={`${id}-hint`} mb="2" color="quiet" fontSize="xs">
        {hint}
      </Text>
      <Input
        id={id}
        inputMode="text"
        autoComplete="off"
        aria-describedby={`${id}-hint`}
        aria-invalid={value.trim() !== '' && wrong}
        readOnly={waiting}
        value={value}
        onChange={(event) => onType(event.target.value)}
      />
    </Box>
  )
}
