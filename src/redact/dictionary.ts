// English words of code, prose and of what people call their users and machines, as far as it needs them to leave ordinary texts alone.
// Counted in documentation of public packages, with animals, plants, trades and the like added. What an ending makes of them is not listed.

const STEMS = new Set(
  (
    'abandoned abbreviated abbreviation ability able abort about above absence absent absolute abstract abstraction accept acceptable acceptance access ' +
    'accessible accidentally accommodate accompanying accordance according account accountant accumulated accuracy accurate achieve acknowledge aclass ' +
    'acorn acquire across acting action activate active activity actor acts actual adapt added addfd adding addition additional addons addr address ' +
    'adds adjacent adjust adjustment adobe adopted advance advantage advertise advice advisable advised affect affiliates afraid after afterwards again ' +
    'against agate agent aggregate agree ahead aint airport akid alder alert algnid algor algorithm algs alias alien aligned alignment alive alley ' +
    'alloca allocate allocation allorfirst allow almost alone along alongside alpha alpine alpn already also alter alternate alternative although ' +
    'always amber ambiguous among amount analogous analyses analysis analyze ancestor anchor angel anger angle angry animal ankle annotation announced ' +
    'anonymous another answer antler anvil anymore anyone anything anyway anywhere aobj apart apparently appdata appear appearance append apple ' +
    'applicable application applied appname appreciated approach appropriate approved apps apron arbor arch archery architect architecture archive area ' +
    'arena argc argi argl argp argparse args argtype argument argv arising arithmetic armor around array arrive arrow artist ascending ascertaining ' +
    'ascii asclen asid asked asking asks asnum aspects aspen assembler assembly assert assertion assign assignment assist associate assume assumption ' +
    'asteroid astronaut async asynchronous atlas atomic atrname atrtype attach attacks attempt attention attic attr attribute attrname attrtype audio ' +
    'audit august aunt auth authority authorized authorship auto automatic autumn auxiliary available avenue average avocado avoid await awake award ' +
    'aware away axle back backend background backport backslash backward bacon badge bags baker ballet balloon bamboo banana bandit banjo banker banner ' +
    'barber bard bare bark barley barn baron barrel barrier base baseball basedomain basename bash basic basically basil basin basis basket basketball ' +
    'batch batman bcont beach beacon beagle bean beard beast beauty beaver became because become beef been beetle before begin behalf behave behavior ' +
    'behaviour behind being belong below belt bench benchmark beneficial benefit berry best beta better between beyond bigger bigint binary bind bingo ' +
    'biologist biom bion birch bird birthday biscuit bisect bishop bison bitmap bitmask bitnum bits bitwise black blade blame blank blanket blaze block ' +
    'blood blossom blue bluebird bmpstring board boat bobcat body bogus boil bold bolt bone bonfire bonus book bool boolean boost boot bootstrap border ' +
    'born borrow both bottle bottom boulder bound boundary bounty bowl boxer boxing braces brackets brain branch brandy brass brave bravo bread break ' +
    'breakage breakfast breeze brick bride bridge brief bright bring broadcast broccoli broke broken bronze brook broom brother brown browser brsp ' +
    'brush bubble buck bucket buddha buddy buff buffalo buflen bufsize bugle bugs build built builtin bull bullet bumble bump bunch bundle bunny burger ' +
    'burn bush business busy butcher butler butter butterfly button buzz bwrite bygroups bypass byte bytearray bytecode cabbage cabin cache cactus ' +
    'caesar cake calculate calculation calendar call callback callee calm came camel camera camp cancel cancellation candidate candle candy cannon ' +
    'cannot canoe canvas canyon capability capable capacity captain capture caramel caravan carbon card cardinal care careful caribou carnival ' +
    'carpenter carrot carry cart carve case cashier cassert cast castle catch category catfish caught cause caution cbargtype cctx cedar celery cell ' +
    'cello center cert certain certificate cflag chain chainidx chair chalk challenge champ champion chance change changelog channel chapel char ' +
    'character charge charity charm charset chase chat check checkout checksum cheek cheese cheetah chemist cherry chess chest chestnut chicken chief ' +
    'child children chili chin chip chipmunk chklen chname chocolate choice choir choose chosen chrome chtype chunk church cider cinder cinema cinnamon ' +
    'ciph ciphersuite circular circus citadel citrus city claim clam clang clarify clarinet clash class classified clause clay clean cleanup clear ' +
    'cleric clerk clever client cliff climb clist clistlen clock clone close closest closure cloud clover clown clumsy cluster coach coal coast cobalt ' +
    'cobra cocoa coconut code codecs codepath codeview coffee coid coin cold collapse collect collection collie collision colon colonel color column ' +
    'comb combination combine come comet comma command comments commercial commit common communicate community comp compact compare comparison compass ' +
    'compat compatible compete compilation compile complain complement complete completion complex complexity compliance compliant complicated ' +
    'component compose composite composition compound compress compression computation compute concatenated concept concerning concert concrete ' +
    'concurrent condition conditional condor conf config configdata configurable configure confirmation confirmed conflict conform confused confusing ' +
    'confusion conjunction conn connect connection consecutive consequences conservative consider consist consistency consistent console const constant ' +
    'constexpr constify constitutes constraint construct construction consult consume consumption cont contact contain containment content context ' +
    'contextlib contiguous continuation continue contract contrast contribute control convenience convenient convention conversion convert cook cookie ' +
    'cool cooper coordinate copied copper copy copyfunc copyrighted copyrights coral core corebio corn correct correspond corrupt cosmic cosmo cost ' +
    'cotton cougar could count country couple courage course cover coverage cowboy coyote cppgc cpsuri crab craft crane crash crater crazy cream create ' +
    'creation credential credit creek cricket crimson crisp crit criteria critical crocus cross crow crown cruise crunch crypto cryptography cryptopro ' +
    'crystal cstddef cstdint cstring ctor ctrl ctxt cube cucumber cupboard cupid curious currency current curry cursor curtain curve custom customize ' +
    'cutter cyber cyborg cycle cyclone cypress daemon daily daisy damage dance dane dangling dark dart dash dasync data database datagram datalen date ' +
    'datetime dawn days dazzle dcont deacon dead deadlock deal deallocate dealt dear debianized debug december decide decimal decision declaration ' +
    'declare declval decode decorator decrypt dedicated deemed deep deer default defer define definitely definition defs delay delegate delete deletion ' +
    'delfd delimited delimiter deliver delta demand demon denim denotes dentist depend dependency dependent deploy deprecated deprecation deps depth ' +
    'dereference derivative derive desc descending describe description descriptive descriptor desert design designated desirable desired despite dest ' +
    'destination destiny destroy destruction destructor detach detail detect detection determine developed developers development device dgram dgst ' +
    'dhpkey diagnostic dialects dialog diamond dict dictionary diff difference different difficult digest digger digit digital dingo dinner dinosaur ' +
    'direct direction directive dirn dirname dirs dirty disable disallow discard disclaimer discouraged discover discussion dish disk dispatch ' +
    'displayed displaying displays dispose dist distance distinct distinguish distpoint distribute distribution distutils dive divide division dizzy ' +
    'dlen dllimport doall doallarg dock docs docstring doctor document dodger does doing doll dollar dolphin domain done donkey donut doom dots dotted ' +
    'double doubt dove down downgraded download dpname draft drag dragon dragonfly drake draw dream dress drift drive drop drum dual duck duke dumb ' +
    'dummy dump dune dupf duplicate duplication duration during dusk dust dutch dwarf dynamic dynamically dynamo each eager eagle earl earlier earth ' +
    'easier easily easter easy ebony ecdh ecert echo eckey eclipse edge edit effect effective efficiency efficient effort egress either elbow elder ' +
    'electrician elegant elem element elephant elif eliminate eline elite else elsewhere email emaillen embed ember emerald emit emperor empty emulate ' +
    'emulation enable enclosed enclosing encode encountered encouraged encrypt encryption endcode ended endian endif ending endorse endpoint endregion ' +
    'ends enforce engine enhanced enough ensure enter entire entirety entitled entity entry enum enumerated enumerates enumeration enveloped ' +
    'environment epoch equal equality equivalence equivalent erase ermine errcode errno error escape especially essential establish estimate eval ' +
    'evaluate evaluation even event eventually ever evergreen everyone everything everywhere evil exact examine example exarg exceed except exception ' +
    'excess exchange exclude exclusion exclusive exec executable execute execution exercise exist existence exit expand expansion expect expectation ' +
    'expensive experience experimental expert expiration expire explain explanation explicit explore exponent exponential export expose expr express ' +
    'expression exptext extend extension extent extern external extlist extra extract extraction extranet extremely exts face facility fact fail ' +
    'failure fairly faith fake falcon fall fallback false family famous fancy farm fashion fast fatal father fault favor fawn fcntl fcount feather ' +
    'feature feed feedback fencing fern ferret ferry festival fetch fewer ffunc fiddle field fierce fiesta fight figure file filename filepath ' +
    'filesystem fill filter final finalization finalize finch find fine finger finish finite fips fire firefly fireman firm first fish fitness fits ' +
    'five fixed fixing fixup flag flaky flame flamingo flare flash flat flexible flint flipper float floor florist flour flow fluffy flush flute flyer ' +
    'fname focus foggy fold follow font foolish football forbid forbidden force foregoing foreground forest forever forge forget forgot fork form ' +
    'format forth fortune forum forward fossil found four foxtrot fptrs fraction fractional fragment frame framework frank freak freed freedom freef ' +
    'freefunc freeing freely freeze frequency frequently fresh friday fridge friend frog from front frost frozen fruit fsck fudge full fullname func ' +
    'function functional functools functor funeral funky funny furnished further fury future fuzzy gadget gain galaxy gallery gambit gamer gamma ' +
    'garbage garden garlic garnet gateway gator gave gazelle gecko gemini gencodec general generate generation gentle geranium gerbil getsockopt getter ' +
    'gettext getting ghost giant gibbon gift ginger giraffe github gitweb give given glacier glad gladiator glass glibc glider glist glistlen glitter ' +
    'glob global glove glow gnome goal goat goblin goes going gold golden goldfish golf gone good goose gorilla gothic goto governed governing grab ' +
    'grace gracefully grain grammar grand grandma grandpa granite grant grape graph grasshopper grateful grave gravity greater greatest greedy greek ' +
    'green grep griffin grill grim grizzly groove group grouse grove grow growl guarantee guard guardian guava guess guest guidance guide guidelines ' +
    'guitar gull gummy guru gypsy gzip hack half halo hammer hamster hand handful handle handshake handsome hang happen happy harbor hard hardware hare ' +
    'harmless harmony harp harvest hash have hawk hazel hdrlen head healthy heap hear heart heather heaven heavy hedge hedgehog heel height held helium ' +
    'hello help helpful hence here hereby herein hero heron heuristic hexadecimal hickory hidden hide hierarchy high highest highlight hiker hill hint ' +
    'hippo historical history hobby hockey hold holiday holly home honest honey honor hood hook hope hopefully horizon horizontal horn hornet horse ' +
    'hospital host hostent hostname hostserv hotdog hotel hound hour house html http huge human humble hummingbird hungry hunt hurricane husky hydrogen ' +
    'hyena hypothetical iarg iceberg icicle icont idea ideal ident identical identified identifier identify identity idle idlen ifdef ifld ifndef ifunc ' +
    'igloo ignore iguana illegal image immediate imminent immutable impact impala implement implicit implied imply import important importlib ' +
    'impossible improve improvements iname incidental include inclusion inclusive incoming incompatible incomplete inconsistent incorporate incorrect ' +
    'increase increment incremental indata indefinite indent indentation independent index indicate indication indices indigo indirect individual infer ' +
    'infinite info inform information infringement ings inherit inheritance init initial initialised initialized initializer initializing initiated ' +
    'inlen inline inner innocuous inode input insensitive insert insertion inside insn inspect inspire install installation instance instanceof ' +
    'instantiate instead instruction insufficient intact integer integral integrated integration integrity intellectual intended intent interact ' +
    'interaction interactive interest interface interfere intermediate internal interp interpret interrupt intersection interval into intrinsics ' +
    'introduce ints invalid invalidate invalidation invariant inverse invert invocation invoke involve ioctl ipasc iplen iptr iris iron irrelevant ' +
    'irrevocable island isolated issue italic itav item iter iterable iterate iteration itercnt itertools itname itself itype ivory izone jackal jacket ' +
    'jackpot jade jaguar jasmine jasper javascript jaws jazz jealous jelly jellyfish jester jewel jobs join joker jolly journalist journey json judge ' +
    'juggler juice july jump june jungle juniper jupiter jurisdiction just justice karma kayak keep kekalg kekciph kennel kept kernel kestrel ketchup ' +
    'kettle keyboard keyed keyfunc keyid keylen keylength keyname keyof keys keysize keytype keywords kick kill kind king kingdom kingfisher kitchen ' +
    'kite kitten kiwi klass kludge knee knife knight know knowledge known koala kodiak kwargs kwds label lace lack ladder lady ladybug lagoon lake lamb ' +
    'lambda lamp lance land lang language lantern larch larg large largest lark laser last lastpos late latency latest latter laugh launched lava ' +
    'lavender lawn laws lawyer layer layout lazily lazy lead leaf leak learn least leave left legacy legal lemon lemur lend length lentil leopard less ' +
    'lets letter lettuce level lexer lexical lhash liability liable libc libcrypt libctx liberty library libssl libuv licenses licensing life lifecycle ' +
    'lifetime lift light lightning like lilac lily lime limit limitation line linear lineno link lint lion list listen literal little live lizard llama ' +
    'ller llvm lname load lobster local locale localhost localized locate location lock locust logged logger logging logic logical login logo logs ' +
    'lonely long longest look lookup loop loose lose loss lost lots lotus loud love lower lowercase lowest loyal lucky lunar lunch lung lynx lyric ' +
    'lzone machine machinery maclen macnid macro made madness magenta magic magma magnet magnolia magpie mail main maint maintain maintenance major ' +
    'majority make malformed malicious mallard malloc mammoth manage management mandatory mangling mango manifest manipulate manipulation manner manta ' +
    'manual many maple mapped mapping maps marble march mariner mark markdown market markup marmot marry marsh marshal marten martini marvel mask mason ' +
    'master match material math matrix matter maverick maximum maxlen maxsec maxsize maybe mayor maze mcert mcount mdalgs mdlen mdnid meadow meal mean ' +
    'meaningful meant meanwhile measure mechanic mechanism media medic medium meet mellow melody melon member memcmp memcpy memo memory mention menu ' +
    'mercury mercy merely merge mergetool merlin mermaid merry message meta metadata metal meteor meth method metrics micro microseconds middle ' +
    'middleware midnight might migrate milk miller milliseconds mimetypes mimosa mind miner minimal minimize minimum minister mink minnow minor minsize ' +
    'mint minus minute miracle mirror misbehaved misc mischief misleading mismatch missed missing misspelled mist mistake mixed mmap mobile mocha mock ' +
    'mode model modern modest modification modified modifier modify module modulo mole moment monarch monday money mongoose monitor monk monkey monster ' +
    'month moon moose more morning mosquito most moth motor mount mountain mouse mouth move movie msglen mspki mtime mtype much muffin mulberry multi ' +
    'multiline multiple muscle museum mushroom music musician musk must mustang mustard mutable mutate mutex mutually mysterious mystery mystic myth ' +
    'name namelen namespace nanny nanoseconds narrow native natural nature naughty nbytes nconf near nearest nebula necessarily necessary neck necklace ' +
    'nectar need needle negative negotiated negotiation neighboring neon neptune nero nervous nest network never newer newf newline newly newpass next ' +
    'nextupd nice nickel nids night nightingale ninja nitrogen nmflag noble node noexcept noisy nomad nonce nonzero noodle noqa normal normalize north ' +
    'nose nospc notably notary notation noted nothing notice noticenos noticeref notification notified nova november nugget null nullptr numaddfds ' +
    'number numdelfds numeric numerical numfds nurse nutmeg nval oasis oauthlib obase object obligation observed obsidian obsolete obtain obvious ' +
    'occupy occur occurrence ocean ocelot ocms octal octet october octopus offending offer office offline offset often oids okay older oldest oldpass ' +
    'olen olive omax omega omitted once oneline ones onion online only onlyattr onlyuser onoff onto onyx opacity opal opaque opcodes open openssl oper ' +
    'opera operand operate operation opposed opposite optimal optimization optimize option optionally opts oracle orange orbit orca orchard orchid ' +
    'order ordinal ordinary oreo organization origin original originator oriole orphan osprey ostrich other otherwise otter ought outer outfile ' +
    'outgoing outlaw outlen outline outlive output outside outstanding oven over overall overflow overhead overlap overload overridden override ' +
    'overwrite overwritten owfnid owned owner ownership owning owns oxygen oyster pack package packet packfile padded padding paddle page paint pair ' +
    'palace paladin palg pallorfirst palm panda panel panther pants paobj papaya paper paprika parade paradise paragon paragraph parallel param ' +
    'parameter parent parentheses parg pargc pargv park parrot parsable parse parsley part partial particular partition pass passlen password past ' +
    'pasta patch patent path pathlen pathlib pathname pathspec patriot pattern pause pawn payload pbags pbmp pbuf pcert pcid pclass pcrl pctx pdate ' +
    'pday pder pderlen pdig pdigest peace peaceful peach peacock peanut pearl pebble peek peel peer peername pelican penc penclen pending penguin penny ' +
    'people pepper peppermint percent perch perf perfect perform performance perhaps period permanent permission permissive permit perpetual persistent ' +
    'person personal pertaining petal petunia phantom pharaoh phase pheasant phoenix phone photo photographer phrase physical piano pick pickle picnic ' +
    'piece pigeon pilgrim pillow pilot pine pineapple pinfo pink pioneer pipe pipeline pirate pistachio piter piuid pixel pixie pizza pkey pknid place ' +
    'placeholder plain plaintext plan plane planet plant plate platform play pleasant plen plength plist plst plugin plum plumber plus pluto pmac ' +
    'pmacalg pmask pmod pname pnum pocket poet poid point polar police policyid polite poll poncho pony pool poor popcorn poppy popular populate ' +
    'porcupine pork port portability portable portion position positional positive posix possibility possible possum post potato potential potherid ' +
    'pothertype potter pour powder power powerful ppkalg ppklen pprefix pptype ppval pqualid practical practice pragma prairie preacher preceded ' +
    'precedence precedes preceding preciese precise precision precompiled precomputed predecessor predefined predicate preempts preference preferred ' +
    'prefix prefixlen premaster prepackaged prepare prepended preprocessor presence present preserve press presumably pretend pretty prev prevent ' +
    'preview previous price priest primarily primary prime primitive prince princess print printable printf prior priority prism priv privacy private ' +
    'privatekey probability probably problem problematic proc procedure proceed process produce product production profile prog program progress ' +
    'prohibited projects prominent promises promote prompt prop propagate propagation property prophet propq protect protection proto protocol proton ' +
    'prototype proud prove provide provision proxy prto prtypes prune psafes psalt psct psec psel pserial pseudo psig psuffix psuid ptag pthread ptree ' +
    'ptype pubalg pubkey publication publicity publish puffin pukm pull pumpkin punk puppy pure purple purpose purse push puts putting putype pval ' +
    'pvalue pygments python quail quaker qualified qualifiers quality quantum quartz queen queried query quest question queue quick quiet quill quince ' +
    'quite quote rabbi rabbit raccoon race racoon radar radio radish rain rainbow raise raisin random range rapid raptor rare rascal raspberry rate ' +
    'rather ratio rattle raven rbio rcms rcount rctx reach reachable react read readable readbytes readline readme readonly real reason reasonable ' +
    'rebase rebel receipt receive recent recip recipient recognise recognize recommend reconnect record recover rector recurse recursion recursive ' +
    'redefine redirect redirection redis redistribute redoable reduce reduction redundant redwood reed reef refer reference reflect reflog refresh refs ' +
    'refuse regal regard regardless regex regexp region register registration registry regression regular reindeer reject rejection related relating ' +
    'relation relationship relative relativename release relevant reliable relied reload relocation rely remain remainder remark remote removal remove ' +
    'rename render renewed repack repeat repl replace replacement replay repo report repository repr represent reproduce reqs request require ' +
    'requirement research reserve reset resize resolution resolve resource resp respect respective respid respond response responsible rest restart ' +
    'restore restrict restriction result resume resumption retain retrieval retrieved retrieving retry return reuse reverse review revision revocation ' +
    'revoked revtime rewrite rewritten rflags rhino rhythm rice rich ride right ring ringo ripple rising risk river rlayer road roast robin robot ' +
    'robust rocket rocky rodeo rogue role rollback rookie room rooster root rosemary rough round route routine rover rowing rows royal royalty rubber ' +
    'ruby rude rugby rule runner running runs rustic rwflag saber sable safe safety saffron safi sage said sail saint salamander sale salmon salsa salt ' +
    'saltlen samba same sample samurai sandal sandman sandy santa sapphire sardine satellite satisfied satisfy saturn sausage savage save sawyer saying ' +
    'says scalar scale scan scarf scarlet scary scenario schedule schema scheme scholar school science scientific scientist scooter scope score ' +
    'scorpion scout scratch screen scribe script scsvs scts seagull seal seaman search seashell secbits seclen second secondary secret secretary ' +
    'section secure security seed seeing seek seem seen segfault segment select selection self selfish sell selname semantic semantically semicolon ' +
    'send sense sensible sensitive sent sentence sentinel separate sepr september sequence sequential sequoia sergeant serial serialized series serious ' +
    'serpent serve serverinfo service sess session setsockopt setter setting settle setup setuptools several severity shadow shaggy shall shallow ' +
    'shaman shamrock shape share shark sharp sheep shelf shell shepherd sheriff sherry shield shift shine ship shirt shoe short shortcut shorthand ' +
    'should shout show shown shrimp shrink shrub shut shutdown shutil shuttle side siginf sign signal signature signcert significant signify silent ' +
    'silly silver similar simple simplified simplify simulate sing single sink siren site situation size sizeof skating skeleton sketch skey skin skip ' +
    'skirt skunk skylark slash slayer sleep slen slice slick slightly slim slist slistlen sloth slots slow slugger small smallest smart smcap smell ' +
    'smile smith smoke smooth snack snail snake sname snapper snapshot sniper snow snowball snowflake soap soccer sock sockaddr socket socktype sofa ' +
    'soft solar soldier sole solid solution some somehow someone something sometimes somevar somewhat somewhere sonic soon sore sort soul sound soup ' +
    'sour source space spaniel spark sparkle sparrow sparse spartan spawn speak spec special specialized specific specifically specified specifier ' +
    'specify speed spelling spencer spend sphinx spice spider spike spinach spirit spkac spki split spooky spoon sport spring sprite spruce spthread ' +
    'sqrt square squash squid squire squirrel sslp stable stack stage stale stallion stamp standalone standard stapled star stardust starfish stark ' +
    'starling start startup stash stat state statement static statically station statistics status stay stdarg stddef stderr stdin stdint stdio stdlib ' +
    'stdout steady steak steal steel stellar step stew steward stiff still stir stitch stname stomach stone stop storage store stork storm stove ' +
    'straight strange strategy strawberry stream street strength strict string stringify strip stripe strlength strong struct structure stub student ' +
    'studio study stuff stupid style subclass subcommand subdirectory subdomain subject sublicense submit submodule subprocess subsequent subset ' +
    'substantial substitute substitution substring subsystem subtle subtree subtype succeed success successful such sufficient suffix sugar suggest ' +
    'suitability suitable sultan summary summer sunday sunflower sunny sunrise sunset sunshine super superseded superset supper supplied supply support ' +
    'supposed suppress sure surfer surfing surgeon surrogate surrounding survive swallow swan swap sweep sweet swift swim switch sword sycamore symbol ' +
    'symbolic symlink sync synchronous synonym syntax syrup syscall sysconfig system table tabs taco tagged tagging tags tail take taken talk tall tame ' +
    'tango tank tarball target tarzan task taste taught taurus tblcount tblname tcount teach team technical technique tedious tell temp tempest ' +
    'tempfile template temple temporarily temporary tenant tender tennis term terminal terminate termination terminology terrier test text textual ' +
    'textwrap than that theater their them theme themselves then theory there therefore thereof they thick thin thing thingies think third this thistle ' +
    'thisupd thorn those though thread three threshold through throughout throughput throw thrown thrush thumb thunder thursday thus thyme tick ticket ' +
    'tidy tied tiger tight timber time timeout timespec timestamp timeval timezone tinker tiny tired titan titanium title tmpl tname toad toast todo ' +
    'toffee together token told tomato tongue took tool tooth topic tornado tortoise total toucan touch tough towards towel tower town trace traceback ' +
    'track tractor trade trademark traditional traffic trail train transaction transfer transform transition translate translation transmit ' +
    'transparency transparent transport trap travel traversal traverse treasure treat treatment tree trend trial tribe trick trickster trident tried ' +
    'tries trigger trim trinity triton trivial trooper trouble trouser trout truck true truffle trumpet truncate trust truthy trying tsunami ttype ' +
    'tuesday tulip tuna tundra tuple turkey turn turtle tutor tutorial tuxedo tweaks twice twilight twinkle twister tycoon type typedef typename typeof ' +
    'typical typo tyrant ugly umbra umbrella unable unary unavailable unbounded uncaught unchanged uncle uncompressed undef undefined under underline ' +
    'underling underlying underscore understand understood undocumented unencrypted unexpected unhandled unicorn uniform unilen union unique unistd ' +
    'unit unittest universe unknown unless unlikely unlimited unlink unmodified unnecessary unpacked unreachable unrecognized unrelated unsafe unset ' +
    'unsigned unspecified unsupported until untracked untrusted unusable unused unusual unwind update updatetype upgrade upload upon upper uppercase ' +
    'upset upstream urban urllib urls usable usage used useful useless user userdata userlen username usernotice userspace uses usher using usual ' +
    'utctime util utility utype uuid valid validate validation validity valley valor value vampire vanilla variable variant variety various vars vary ' +
    'vast vector velvet vendor venom venus verbatim verbose verbosity verification verified verifier verify versa version versionadded vertical very ' +
    'vicar vice victim victor video view viking village villain vine violation violet violin viper virgo virtual visibility visible vision visit vname ' +
    'voice void volatile volcano voter voyager vtype vulcan vulture waffle wagon wait waitress waived wake walk wallet walnut walrus wander want ward ' +
    'warden warlock warm warn warranty warrior wash wasp watch water ways wbio weak weakref wealthy weasel weaver website wedding wednesday week ' +
    'weekend weight weird welcome well went were western whale what whatever wheat wheel when whenever where whereas wherelen whether which while ' +
    'whiskers whiskey whisper white whitespaces whole whom whose wicked wide widget widow width wild wildcard wildcat wildfire will willow wind window ' +
    'winner winter wire wisdom wise witch with within without witness wizard wolf wolverine wombat wonder wonderful woodpecker woody word work ' +
    'workaround workflow worktree world worldwide worm worried worry worth would wraith wrap wren wrestler wrestling wright wrist writable write ' +
    'written wrong wrote xclass xenon xnew yaml yankee year yellow yeti yield yogurt young your yourself yoyo zbuf zebra zenith zephyr zeppelin zero ' +
    'zigzag zinc zipfile zipper zlib zodiac zombie zone'
  ).split(' '),
);

const ENDINGS: readonly (readonly [ending: string, ...instead: string[]])[] = [
  ['ies', 'y'],
  ['es', '', 'e'],
  ['s', ''],
  ['ed', '', 'e'],
  ['ers', '', 'e'],
  ['er', '', 'e'],
  ['ors', '', 'e'],
  ['or', '', 'e'],
  ['ing', '', 'e'],
  ['ly', ''],
  ['y', '', 'e'],
  ['ness', ''],
];
/** Of shorter ones, an ending makes names: `pet` and Peter. */
const SHORTEST_STEM = 4;
/** Names of people that are words with an ending. */
const NAMES = new Set('oliver'.split(' '));

export function isDictionaryWord(word: string): boolean {
  const lower = word.toLowerCase();
  return !NAMES.has(lower) && (STEMS.has(lower) || stemsOf(lower).some((stem) => STEMS.has(stem)));
}

function stemsOf(word: string): readonly string[] {
  return ENDINGS.flatMap(([ending, ...instead]) => {
    if (!word.endsWith(ending)) return [];
    const base = word.slice(0, -ending.length);
    const single = /(.)\1$/.test(base) && base.length > SHORTEST_STEM ? [base.slice(0, -1)] : [];
    return [...instead.map((letters) => base + letters), ...single].filter((stem) => stem.length >= SHORTEST_STEM);
  });
}
