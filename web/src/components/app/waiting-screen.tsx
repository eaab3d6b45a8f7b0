import { Flex, Spinner, Text } from '@chakra-ui/react'
import { site } from '@/config/site'

/** A wait with its reason, over the whole page or over the space that is left. */
export function WaitingScreen({ text, fill = '100dvh' }: { text: string; fill?: string }) {
  return (
    <Flex
      as="main"
      id="main"
      direction="column"
      align="center"
      justify="center"
      gap="4"
      minH={fill}
      px="var(--gutter)"
      textAlign="center"
    >
      <h1 className="visually-hidden">{site.name}</h1>
      <Spinner aria-hidden />
      <Text role="status" color="muted">
        {text}
      </Text>
    </Flex>
  )
}
