import { Box, Flex, Text } from '@chakra-ui/react'
import { useId } from 'react'
import { Textarea } from '@/components/app/field'
import { MESSAGE_MAX } from '@/components/app/tickets/words'
import { whole } from '@/lib/numbers'

interface MessageFieldProps {
  label: string
  rows: number
  placeholder?: string
  value: string
  onChange: (text: string) => void
}

/** A long text with its label and the number of characters that it may have. */
export function MessageField({ label, rows, placeholder, value, onChange }: MessageFieldProps) {
  const id = useId()
  return (
    <Box>
      <Flex align="baseline" justify="space-between" gap="3" mb="1" fontSize="sm">
        <label htmlFor={id}>
          <Text as="span" fontWeight={600}>
            {label}
          </Text>
        </label>
        <Text
          id={`${id}-count`}
          fontSize="xs"
          fontVariantNumeric="tabular-nums"
          color={value.length > MESSAGE_MAX * 0.9 ? 'caution' : 'quiet'}
        >
          {whole(value.length)} / {whole(MESSAGE_MAX)}
        </Text>
      </Flex>
      <Textarea
        id={id}
        aria-describedby={`${id}-count`}
        rows={rows}
        placeholder={placeholder}
        maxLength={MESSAGE_MAX}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Box>
  )
}
